/** The exports for other packages' tests of a virtual phone. */
export {
  startPhone,
  type Counts,
  type Form,
  type Leftover,
  type Maker,
  type Pace,
  type Part,
  type Phone,
  type PhoneOptions,
  type State,
  type Witnessed,
} from './phone.js'
