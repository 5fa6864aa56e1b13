/** Limits a list to one phone, also one that was deleted. Names are offered where the browser can. */
import { Typed } from '../ui/choice'
import { usePhonesToChoose } from './phone-link'

const problemOf = (text: string): string | null =>
  /^ph_[a-z2-7]{12}$/.test(text) ? null : 'Write the ID of a phone, which begins with ph_.'

interface Props {
  project: string
  /** Left out: all. */
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
