export { startPostgres, type Postgres, type PostgresOptions } from './server.js'
