"""`stakes export`: a trained model for other systems."""

from pathlib import Path

import typer

from stakes.cli._guard import guarded
from stakes.cli._options import argument, option


@guarded
def export(
    model: argument(Path, "A file made by stakes train.", metavar="MODEL"),
    onnx: option(Path, "The ONNX file to write.", metavar="FILE", show_default=False),
    verify: option(
        Path | None, "A public key that the model must be signed with.", metavar="KEY"
    ) = None,
):
    r"""Write a trained model as an ONNX graph: columns and prices in, the decision out.

    The graph has the encoding of the table, the model, its cost expressions and the decision, so
    that onnxruntime decides as stakes predict does. Needs the extra onnx.

    \b
    Examples:
      stakes export model.skops --onnx model.onnx
    """
    from stakes.export import export_onnx

    made = export_onnx(model, onnx, verify=verify)
    names = [one.name for one in made.graph.input]
    typer.echo(f"Exported {model} to {onnx}: inputs {', '.join(names)}")
