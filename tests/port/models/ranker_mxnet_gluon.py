from mxnet import gluon


class Model(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.user = gluon.nn.Embedding(50, 8)
        self.item = gluon.nn.Embedding(80, 8)
        self.context = gluon.nn.Dense(8, in_units=3, flatten=False)
        self.hidden = gluon.nn.Dense(16, in_units=24, activation="tanh")
        self.score = gluon.nn.Dense(1, in_units=16)

    def hybrid_forward(self, F, inputs):
        user, history, context = named(F, inputs)
        seen = F.mean(self.item(history), axis=1)
        around = F.max(self.context(context), axis=1)
        return self.score(self.hidden(F.concat(self.user(user), seen, around, dim=-1)))
