export { runCtl, type Io } from './run.js'
