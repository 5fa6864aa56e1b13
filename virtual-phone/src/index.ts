/** What other packages' tests use of a virtual phone. */
export {
  startPhone,
  type Counts,
  type Leftover,
  type Pace,
  type Part,
  type Phone,
  type PhoneOptions,
  type State,
} from './phone.js'
