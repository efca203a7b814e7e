"""Small models in torch, as they are written for training and inference elsewhere."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(64, 128), nn.Linear(128, 32)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class BertLayer(nn.Module):
    """An encoder layer as HuggingFace has it, with an additive mask."""

    def __init__(self, hidden=64, heads=4, inner=256):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(hidden, hidden)
                                                         for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.up, self.down = nn.Linear(hidden, inner), nn.Linear(inner, hidden)

    def split(self, x):
        batch, length, hidden = x.shape
        return x.view(batch, length, self.heads, hidden // self.heads).transpose(1, 2)

    def forward(self, x, mask):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + mask
        context = (scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape)
        x = self.norm1(x + self.output(context))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Attention(nn.Module):
    """Of torch's own function, causal unless there is a mask."""

    def __init__(self, hidden=64, heads=4, groups=4):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, hidden // heads
        self.query = nn.Linear(hidden, hidden)
        self.key, self.value = (nn.Linear(hidden, groups * self.size) for _ in range(2))

    def forward(self, x, mask=None):
        batch, length, hidden = x.shape
        q, k, v = (f(x).view(batch, length, -1, self.size).transpose(1, 2)
                   for f in (self.query, self.key, self.value))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None,
                                           enable_gqa=self.groups != self.heads)
        return y.transpose(1, 2).reshape(batch, length, hidden)


class RMSNorm(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(hidden) + 0.5)

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class LlamaBlock(nn.Module):
    """RMS norm, rotary embedding, grouped-query attention, SwiGLU."""

    def __init__(self, hidden=64, heads=4, groups=2, inner=172):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, hidden // heads
        self.norm1, self.norm2 = RMSNorm(hidden), RMSNorm(hidden)
        narrow = groups * self.size

        def linear(inputs, outputs):
            return nn.Linear(inputs, outputs, bias=False)

        self.query, self.output = linear(hidden, hidden), linear(hidden, hidden)
        self.key, self.value = linear(hidden, narrow), linear(hidden, narrow)
        self.gate, self.up, self.down = (linear(hidden, inner), linear(hidden, inner),
                                         linear(inner, hidden))
        exponents = torch.arange(0, self.size, 2).float() / self.size
        self.register_buffer("frequencies", 1 / 10000**exponents)

    def rotate(self, x, cos, sin):
        first, second = x[..., : self.size // 2], x[..., self.size // 2 :]
        return x * cos + torch.cat((-second, first), -1) * sin

    def repeat(self, x):
        batch, groups, length, size = x.shape
        times = self.heads // groups
        x = x[:, :, None].expand(batch, groups, times, length, size)
        return x.reshape(batch, self.heads, length, size)

    def forward(self, x, mask):
        batch, length, hidden = x.shape
        angles = torch.arange(length).float()[:, None] * self.frequencies[None]
        angles = torch.cat((angles, angles), -1)
        cos, sin = angles.cos(), angles.sin()
        y = self.norm1(x)
        q = self.query(y).view(batch, length, self.heads, self.size).transpose(1, 2)
        k = self.key(y).view(batch, length, self.groups, self.size).transpose(1, 2)
        v = self.value(y).view(batch, length, self.groups, self.size).transpose(1, 2)
        q, k, v = self.rotate(q, cos, sin), self.repeat(self.rotate(k, cos, sin)), self.repeat(v)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.size) + mask
        context = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, hidden)
        x = x + self.output(context)
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 32, 3, 2, 1)
        self.norm, self.out = nn.BatchNorm2d(16), nn.Linear(32, 10)
        self.norm.running_mean.uniform_(-1, 1)
        self.norm.running_var.uniform_(0.5, 2)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.first(x))), 2)
        return self.out(F.relu(self.second(x)).mean((2, 3)))


class Embeddings(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(100, 32), nn.Embedding(64, 32)
        self.norm = nn.LayerNorm(32)

    def forward(self, ids):
        positions = self.positions(torch.arange(ids.shape[1]))
        return self.norm(self.words(ids) + positions[None])
