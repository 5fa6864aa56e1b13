/** The exports of a virtual phone for tests of other packages. */
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
