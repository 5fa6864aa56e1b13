/** A link to a phone in a list, with the phone's name, or its ID once the phone is deleted. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../api/client'
import { Name } from '../ui/name'

/** The newest phones of a project, for their names. */
export const usePhonesToChoose = (project: string) =>
  useQuery({
    queryKey: ['phones', project, 'to choose'],
    queryFn: () => call('GET /projects/:project/phones', { project }),
  })

export function PhoneLink({ project, phone }: { project: string; phone: string }) {
  const list = usePhonesToChoose(project)
  const name = list.data?.data.find(({ id }) => id === phone)?.name
  return (
    <Link
      to="/projects/$project/phones/$phone"
      params={{ project, phone }}
      title={phone}
      className="rounded underline underline-offset-2"
    >
      <Name>{name ?? phone}</Name>
    </Link>
  )
}
