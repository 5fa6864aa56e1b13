// A setup file of vitest that sets the seed of the properties. The gate always uses the same seed;
// `./scripts/test --long` draws a seed.
import process from 'node:process'
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.PHONERACK_SEED ?? 1) })
