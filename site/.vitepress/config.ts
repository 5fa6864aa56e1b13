export { default } from '../src/config.js'
