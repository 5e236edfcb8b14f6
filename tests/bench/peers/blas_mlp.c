// SPDX-License-Identifier: Apache-2.0
// What a patient programmer writes by hand for one core: the guide's network (784-256-256-10, ReLU,
// cross entropy) over OpenBLAS, with one loop of Adam over flat arrays.
//   blas_mlp          answers "blas BATCH STEPS" with microseconds (wall time) a step
//   blas_mlp FOLDER   trains two epochs of MNIST at batch 32, prints the test accuracy as JSON
#include <cblas.h>
#include <immintrin.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

enum { IN = 784, HIDDEN = 256, OUT = 10, LAYERS = 3, TRAIN = 50000, TEST = 10000, SLICES = 16384 };
static const int width[] = {IN, HIDDEN, HIDDEN, OUT};
enum { COUNT = HIDDEN * (IN + 1) + HIDDEN * (HIDDEN + 1) + OUT * (HIDDEN + 1) };

static float *memory(size_t floats) {
    float *array = aligned_alloc(1 << 21, (floats * sizeof(float) + (1 << 21) - 1) >> 21 << 21);
    if (array == NULL) exit(1);
    return memset(array, 0, floats * sizeof(float));
}

static float *w, *g, *m, *v, *activation[LAYERS + 1], *delta[LAYERS + 1];
static long step_number;

static void start(int batch) {
    w = memory(COUNT), g = memory(COUNT), m = memory(COUNT), v = memory(COUNT);
    for (int l = 0; l <= LAYERS; ++l) {
        activation[l] = memory((size_t)batch * width[l]);
        delta[l] = memory((size_t)batch * width[l]);
    }
    step_number = 0;
    float *at = w;
    for (int l = 0; l < LAYERS; at += (width[l] + 1) * width[l + 1], ++l) {
        const float limit = sqrtf(6.0F / (width[l] + width[l + 1]));
        for (int i = 0; i < width[l] * width[l + 1]; ++i)
            at[i] = limit * (2.0F * rand() / RAND_MAX - 1);
    }
}

static void forward(const float *images, int batch) {
    const float *at = w;
    for (int l = 0; l < LAYERS; at += (width[l] + 1) * width[l + 1], ++l) {
        const int in = width[l], out = width[l + 1];
        const float *bias = at + in * out;
        float *y = activation[l + 1];
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, batch, out, in, 1,
                    l == 0 ? images : activation[l], in, at, out, 0, y, out);
        for (int row = 0; row < batch; ++row, y += out)
            for (int i = 0; i < out; ++i) {
                const float value = y[i] + bias[i];
                y[i] = l + 1 < LAYERS && value < 0 ? 0 : value;
            }
    }
}

static void backward(const float *images, const unsigned char *labels, int batch) {
    for (int row = 0; row < batch; ++row) {  // softmax and cross entropy
        const float *y = activation[LAYERS] + row * OUT;
        float *d = delta[LAYERS] + row * OUT, most = y[0], sum = 0;
        for (int i = 1; i < OUT; ++i) most = fmaxf(most, y[i]);
        for (int i = 0; i < OUT; ++i) sum += d[i] = expf(y[i] - most);
        for (int i = 0; i < OUT; ++i) d[i] = (d[i] / sum - (i == labels[row])) / batch;
    }
    size_t end = COUNT;
    for (int l = LAYERS - 1; l >= 0; --l) {
        const int in = width[l], out = width[l + 1];
        end -= (size_t)(in + 1) * out;
        const float *x = l == 0 ? images : activation[l], *d = delta[l + 1];
        cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, in, out, batch, 1, x, in, d, out, 0, g + end, out);
        float *bias = g + end + in * out;
        memset(bias, 0, out * sizeof(float));
        for (int row = 0; row < batch; ++row)
            for (int i = 0; i < out; ++i) bias[i] += d[row * out + i];
        if (l == 0) break;
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, batch, in, out, 1, d, out, w + end, out, 0, delta[l], in);
        for (int i = 0; i < batch * in; ++i) delta[l][i] = x[i] > 0 ? delta[l][i] : 0;
    }
}

static void adam(void) {
    ++step_number;
    const float rate = 1e-3F * sqrtf(1 - powf(0.999F, step_number)) / (1 - powf(0.9F, step_number));
    for (int i = 0; i < COUNT; ++i) {
        m[i] += (g[i] - m[i]) * 0.1F;
        v[i] += (g[i] * g[i] - v[i]) * 0.001F;
        w[i] -= rate * m[i] / (sqrtf(v[i]) + 1e-7F);
    }
}

static void train(const float *images, const unsigned char *labels, int batch) {
    forward(images, batch);
    backward(images, labels, batch);
    adam();
}

static double micros(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec * 1e-3;
}

static unsigned char *read_file(const char *folder, const char *name, int head, size_t bytes) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    gzFile file = gzopen(path, "rb");  // plain files, too
    if (file == NULL) file = gzopen(strcat(path, ".gz"), "rb");
    unsigned char *data = malloc(bytes);
    if (file == NULL || gzseek(file, head, SEEK_SET) != head || gzread(file, data, bytes) != (int)bytes) {
        fprintf(stderr, "error: %s cannot be read\n", path);
        exit(2);
    }
    gzclose(file);
    return data;
}

static void mnist(const char *folder) {
    enum { BATCH = 32, EPOCHS = 2 };
    const unsigned char *images = read_file(folder, "train-images-idx3-ubyte", 16, (size_t)TRAIN * IN);
    const unsigned char *labels = read_file(folder, "train-labels-idx1-ubyte", 8, TRAIN);
    const unsigned char *tests = read_file(folder, "t10k-images-idx3-ubyte", 16, (size_t)TEST * IN);
    const unsigned char *truth = read_file(folder, "t10k-labels-idx1-ubyte", 8, TEST);
    static int order[TRAIN];
    float *x = memory((size_t)TEST * IN);
    unsigned char y[BATCH];
    start(TEST);
    for (int i = 0; i < TRAIN; ++i) order[i] = i;
    for (int epoch = 0; epoch < EPOCHS; ++epoch) {
        for (int i = TRAIN - 1; i > 0; --i) {
            const int other = rand() % (i + 1), kept = order[i];
            order[i] = order[other], order[other] = kept;
        }
        for (int first = 0; first < TRAIN; first += BATCH) {
            const int rows = TRAIN - first < BATCH ? TRAIN - first : BATCH;
            for (int row = 0; row < rows; ++row) {
                const unsigned char *image = images + (size_t)order[first + row] * IN;
                for (int i = 0; i < IN; ++i) x[row * IN + i] = image[i] * (1 / 255.0F);
                y[row] = labels[order[first + row]];
            }
            train(x, y, rows);
        }
    }
    int hits = 0;
    for (size_t i = 0; i < (size_t)TEST * IN; ++i) x[i] = tests[i] * (1 / 255.0F);
    forward(x, TEST);
    for (int row = 0; row < TEST; ++row) {
        int best = 0;
        for (int i = 1; i < OUT; ++i)
            if (activation[LAYERS][row * OUT + i] > activation[LAYERS][row * OUT + best]) best = i;
        hits += best == truth[row];
    }
    printf("{\"accuracy\": %.4f}\n", hits / (double)TEST);
}

int main(int count, char **words) {
    _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
    _mm_setcsr(_mm_getcsr() | 0x0040);  // denormals are zero
    if (count > 1) return mnist(words[1]), 0;
    float *images = memory((size_t)SLICES * IN);
    static unsigned char labels[SLICES];
    for (size_t i = 0; i < (size_t)SLICES * IN; ++i) images[i] = rand() % 5 == 0 ? rand() / (float)RAND_MAX : 0;
    for (int i = 0; i < SLICES; ++i) labels[i] = rand() % OUT;
    int batch, steps, started = 0;
    while (scanf(" blas %d %d", &batch, &steps) == 2) {
        if (started != batch) start(started = batch);  // what an earlier size used is small
        double begin = 0;
        for (int number = -8; number < steps; ++number) {
            if (number == 0) begin = micros();
            const int first = (number + 8) % (SLICES / batch) * batch;
            train(images + (size_t)first * IN, labels + first, batch);
        }
        printf("%.3f\n", (micros() - begin) / steps);
        fflush(stdout);
    }
    return 0;
}
