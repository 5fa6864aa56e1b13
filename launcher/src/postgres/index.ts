export { clusterPassword } from './cluster.js'
export { installCluster } from './install.js'
export { eraseCluster } from './place.js'
export { startPostgres, type Postgres, type PostgresOptions } from './server.js'
