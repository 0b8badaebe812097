"""What the adapters of originals share: their ties, which change no layout and leave no parameter out."""


def tied_names(table):
    """Return {canonical name: the model's own name} of a table of ties.

    Raises ValueError where a tie changes a layout: canonical tensors are the original's own.
    """
    names = {}
    for tie in table:
        if tie.transforms or len(tie.canonical) != len(tie.own):
            raise ValueError("a tie of the original changes the layout of %s" % " ".join(tie.canonical))
        names.update(zip(tie.canonical, tie.own))
    return names


def refuse_untied(left):
    """Raise ValueError if parameters are `left` without a tie, since they would not be compared."""
    if left:
        raise ValueError("%d parameters of the original are tied to nothing: %s" % (len(left), ", ".join(left[:5])))
