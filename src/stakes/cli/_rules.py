"""`stakes rules`: the rules of a trained tree or list, to read and sign."""

from enum import StrEnum
from pathlib import Path

import typer

from stakes.cli import _options as options
from stakes.cli._guard import guarded
from stakes.cli._options import argument, option
from stakes.errors import InputError

PICTURES = (".png", ".svg", ".pdf")


class Form(StrEnum):
    """How the rules are written."""

    text = "text"
    csv = "csv"
    json = "json"
    dot = "dot"


@guarded
def rules(
    model: argument(Path, "A file made by stakes train.", metavar="MODEL"),
    data: argument(
        Path | None,
        "Rows with labels that were not used for training: examples, money and p-values are "
        "counted on them. Default: the training rows.",
        metavar="DATA",
        show_default=False,
    ) = None,
    form: option(Form, "Indented text, a table, JSON, or Graphviz (DOT).", "--as") = Form.text,
    out: option(
        Path | None,
        "Write to a file instead of the terminal; a .png, .svg or .pdf file is a picture of the "
        "tree or list.",
        metavar="FILE",
        show_default=False,
    ) = None,
    fp_cost: options.cost_option("fp", "as in training") = None,
    fn_cost: options.cost_option("fn", "as in training") = None,
    tp_cost: options.cost_option("tp", "as in training") = None,
    tn_cost: options.cost_option("tn", "as in training") = None,
):
    r"""Print the rules of a trained model: decision, probability, coverage, money, p-value.

    The model must be a ConfidenceTreeClassifier or an AssociationRuleClassifier. The p-values of
    rules on their training rows are not corrected for the search of the splits; with DATA they are
    valid, and corrected for the number of rules.

    \b
    Examples:
      stakes train loans.csv --target bad --learner ConfidenceTreeClassifier --out model.skops
      stakes rules model.skops
      stakes rules model.skops later.csv --as csv --out rules.csv
      stakes rules model.skops --fp-cost 100 --fn-cost 700 --out tree.svg
    """
    from stakes._core.files import appearing, check_can_write
    from stakes.compare import ModelRules

    found = ModelRules(
        model, data, fp_cost=fp_cost, fn_cost=fn_cost, tp_cost=tp_cost, tn_cost=tn_cost
    )
    picture = out is not None and out.suffix.lower() in PICTURES
    if out is None:
        typer.echo(_written(found, form))
        return
    if picture and data is not None:
        raise InputError("A picture shows the rows of training; leave out DATA.")
    check_can_write(out)
    with appearing(out) as partial:
        if picture:
            kind = out.suffix.lower().lstrip(".")
            found.plot().savefig(partial, format=kind, bbox_inches="tight")
        else:
            partial.write_text(_written(found, form) + "\n")
    typer.echo(f"Rules: {out}", err=True)


def _written(found, form):
    if form is Form.csv:
        return found.frame().write_csv().rstrip("\n")
    return {Form.text: found.text, Form.json: found.json, Form.dot: found.graphviz}[form]()
