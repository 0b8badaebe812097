"""What devices keep beside the parameters: running means and variances of batch normalisation."""


class KeptByEach(object):
    """A base of adapters whose devices update running statistics from their own share of each batch.

    Whoever reads them gets their mean over all devices. It is taken only then: a running statistic is a sum over the
    steps, so the mean of the sums is the sum of the means, and a timed step does not communicate for it.
    """

    def state(self):
        self.average(self.kept())
        return super(KeptByEach, self).state()

    def evaluate(self, dataset, batches):
        self.average(self.kept())
        return super(KeptByEach, self).evaluate(dataset, batches)

    def kept(self):
        """Return the framework's names of the running statistics, in the same order on every device."""
        return [own for tie in getattr(self.implementation, "STATE", ()) for own in tie.own]

    def average(self, kept):
        """Replace the framework's tensors `kept` by their means over all devices."""
        raise NotImplementedError
