export { default } from '../../src/theme/index.js'
