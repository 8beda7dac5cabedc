/* Runs a fuzz target where libFuzzer is not at hand: replay COUNT [FILE...] gives the target every file, then
 * COUNT inputs of reproducible random bytes, every second one a corpus file with some bytes changed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_INPUT = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint32_t random_below(uint32_t bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 32) * bound >> 32);
}

static size_t read_file(const char *path, uint8_t *data)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    size_t size = fread(data, 1, MAX_INPUT, file);
    fclose(file);
    return size;
}

/* Calls the target with a block of exactly `size` bytes, so that the sanitizers see every read beyond it. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) {
        exit(2);
    }
    for (size_t i = 0; i < size; i++) {
        copy[i] = data[i];
    }
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

int main(int argc, char **argv)
{
    static uint8_t data[MAX_INPUT];
    int count = argc > 1 ? atoi(argv[1]) : 0;
    char **files = argv + 2;
    uint32_t num_files = argc > 2 ? (uint32_t)argc - 2 : 0;

    for (uint32_t i = 0; i < num_files; i++) {
        run(data, read_file(files[i], data));
    }
    for (int i = 0; i < count; i++) {
        size_t size = random_below(4096);
        uint32_t changes = (uint32_t)size;
        if (i % 2 && num_files) {
            size = read_file(files[random_below(num_files)], data);
            changes = 1 + random_below(16);
        }
        for (uint32_t k = 0; k < changes && size; k++) {
            data[changes == size ? k : random_below((uint32_t)size)] = (uint8_t)random_below(256);
        }
        run(data, size);
    }
    printf("%u files and %d random inputs\n", num_files, count);
    return 0;
}
