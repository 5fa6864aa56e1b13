/** What other packages' tests use of a virtual phone. */
export { startPhone, type Pace, type Phone, type PhoneOptions } from './phone.js'
