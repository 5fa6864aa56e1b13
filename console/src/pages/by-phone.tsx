/** A filter of a list by one phone, which may be deleted. Browsers that can offer names of phones. */
import { Typed } from '../ui/choice'
import { usePhonesToChoose } from './phone-link'

const problemOf = (text: string): string | null =>
  /^ph_[a-z2-7]{12}$/.test(text) ? null : 'Enter the ID of a phone. It begins with ph_.'

interface Props {
  project: string
  /** Omitted: all phones. */
  phone: string | undefined
  onChange: (phone: string) => void
}

export function ByPhone({ project, phone = '', onChange }: Props) {
  const list = usePhonesToChoose(project)
  const offered = (list.data?.data ?? []).map(({ id, name }) => ({ value: id, name }))
  return (
    <Typed
      label="Phone"
      value={phone}
      placeholder="any"
      maxLength={40}
      check={problemOf}
      offered={offered}
      onChange={onChange}
    />
  )
}
