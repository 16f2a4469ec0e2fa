"""Tables larger than memory: map a function over the files of a folder, fold them into one."""

from stakes.scale._folder import Folder, Part
from stakes.scale._verbs import fold_parts, map_parts

__all__ = ["Folder", "Part", "fold_parts", "map_parts"]
