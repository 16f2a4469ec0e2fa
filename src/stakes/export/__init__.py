"""Models for other systems: ONNX graphs with prices as inputs and the decision as output."""

from stakes.export._feed import onnx_inputs
from stakes.export._model import export_onnx, to_onnx
from stakes.export._registry import register_converters, sklearn_to_onnx

__all__ = ["export_onnx", "onnx_inputs", "register_converters", "sklearn_to_onnx", "to_onnx"]
