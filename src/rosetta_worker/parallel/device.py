"""The worker of one device: it trains on its own share of each batch."""

from rosetta_worker.loop import Worker


class DeviceWorker(Worker):
    """An ordinary worker that cuts its share out of the rows. Everything else is up to the framework's adapter."""

    def do_batches(self, path):
        reply = super(DeviceWorker, self).do_batches(path)
        setting = self.framework.setting
        self.batches = share(self.batches, setting.number, setting.devices)
        return reply


def share(rows, number, devices):
    """Return the rows of one device: part `number` of `devices` equal, neighbouring parts of each batch.

    The batch size is the second axis of `rows`. It must divide: the mean over the devices of their means is the mean
    over the batch only for equal parts.
    """
    size, rest = divmod(rows.shape[1], devices)
    if rest:
        raise ValueError("a batch of %d samples does not divide among %d devices" % (rows.shape[1], devices))
    return rows[:, number * size : (number + 1) * size]
