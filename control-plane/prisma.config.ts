// Configuration of Prisma's CLI (generate, migrate diff). The service itself
// never runs the CLI: it applies the migrations with src/base/db/migrate.ts.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'prisma/config'

// No engine is downloaded: the CLI talks to the WASM build of the schema engine from npm.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= fileURLToPath(
  new URL('./scripts/schema-engine.mjs', import.meta.url),
)

export default defineConfig({
  schema: 'prisma/schema',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? 'postgresql://phonerack@127.0.0.1:5432/phonerack' },
})
