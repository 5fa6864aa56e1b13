// A setup file of vitest: the seed of the properties. The gate has always the same one; `./scripts/test --long` draws one.
import process from 'node:process'
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.PHONERACK_SEED ?? 1) })
