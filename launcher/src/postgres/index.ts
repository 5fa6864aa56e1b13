export { eraseCluster } from './place.js'
export { startPostgres, type Postgres, type PostgresOptions } from './server.js'
