"""See what a piece of code opens, starts or connects to, by Python's audit events."""

import contextlib
import os
import sys
import sysconfig

_FORBIDDEN = ("socket.connect", "socket.getaddrinfo", "subprocess.Popen", "os.system", "os.exec")
_FORBIDDEN += ("os.posix_spawn", "os.fork", "pickle.find_class", "ctypes.dlopen")
# modules that are imported when they are first needed, and compiled loops
_CODE = (".py", ".pyc", ".so", ".nbi", ".nbc", ".dll", ".pyd")
_HOMES = [sysconfig.get_paths()["stdlib"], sys.prefix, sys.base_prefix, os.path.dirname(__file__)]
_HOMES += [path for path in sys.path if path]
_COMPILED = os.environ.get("NUMBA_CACHE_DIR", "/nowhere")
_seen = None  # a list while something is watched


def _hook(event, args):
    if _seen is None:
        return
    if event == "pickle.find_class" and _is_numba(sys._getframe(1)):
        return  # compiled loops come from its cache when they are first needed
    if event in _FORBIDDEN:
        _seen.append(f"{event} {str(args)[:100]}")
    elif event == "open":
        path = os.fsdecode(args[0]) if isinstance(args[0], str | bytes | os.PathLike) else ""
        path = os.path.abspath(path) if path else ""  # numba names sources from where it runs
        known = path.endswith(_CODE) and any(path.startswith(home) for home in _HOMES)
        known = known or path.startswith(_COMPILED)
        if path and not known and not path.startswith(("/proc/", "/sys/", "/dev/")):
            _seen.append(path)


def _is_numba(frame):
    while frame is not None:
        if f"{os.sep}numba{os.sep}" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


@contextlib.contextmanager
def watched(folder):
    """Collect what is opened outside a folder; the list is complete at the end."""
    global _seen
    if not getattr(watched, "is_on", False):
        sys.addaudithook(_hook)
        watched.is_on = True
    found, _seen = [], []
    try:
        yield found
    finally:
        found += [path for path in _seen if not path.startswith(f"{folder}{os.sep}")]
        _seen = None
