/** A filter of a list of phones by state. */
import { phoneStatuses } from '../api/types'
import { Choice } from '../ui/choice'

interface Props {
  value: string | undefined
  onChange: (value: string) => void
}

export const StateChoice = ({ value, onChange }: Props) => (
  <Choice label="State" value={value ?? ''} onChange={onChange}>
    <option value="">all in use</option>
    {phoneStatuses.map((each) => (
      <option key={each} value={each}>
        {each}
      </option>
    ))}
  </Choice>
)
