"""`stakes export`: a trained model for other systems."""

from pathlib import Path
from typing import Annotated

import typer

from stakes.cli._guard import guarded


@guarded
def export(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A file made by stakes train.")],
    onnx: Annotated[
        Path, typer.Option(metavar="FILE", help="The ONNX file to write.", show_default=False)
    ],
    verify: Annotated[
        Path | None,
        typer.Option(metavar="KEY", help="A public key that the model must be signed with."),
    ] = None,
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
