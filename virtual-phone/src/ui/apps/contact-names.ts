/** The thousand people of a new phone's Contacts, in several scripts; the same on every phone. */

export interface Contact {
  id: number
  name: string
  phone: string
  email: string
}

const LATIN_GIVEN =
  'Ada Bruno Carla Daniel Elif Fatou Gustav Hanna Ivo Júlia Kwame Lena Mateo Nora Oskar Priya Quinn Rosa Søren Tomáš Uma Vera Wiktor Ximena Yara Zoë'.split(
    ' ',
  )
const LATIN_FAMILY =
  'Abbott Becker Costa Dvořák Eriksen Fischer García Horváth Ibsen Jansen Kowalski Larsen Mbeki Novak Öztürk Perez Quiroga Rossi Schäfer Takala Ueda Vargas Weber Yılmaz Zimmer'.split(
    ' ',
  )
/** Given names and family names. */
const OTHER: readonly (readonly [string, string])[] = [
  ['Анна Борис Вера Дмитрий Елена', 'Иванова Петров Смирнова Кузнецов Попова'],
  ['Αλέξης Ελένη Νίκος Σοφία', 'Παπαδόπουλος Γεωργίου Νικολάου'],
  ['محمد فاطمة يوسف ليلى', 'الأحمد حسن العلي'],
  ['花子 太郎 美咲 健', '山田 佐藤 鈴木'],
  ['伟 芳 娜 秀英', '王 李 张 陈'],
]

const pick = (list: readonly string[], at: number): string => list[at % list.length] ?? ''

function nameOf(i: number): string {
  const other = OTHER[Math.floor(i / 8) % OTHER.length]
  if (i % 8 === 7 && other) {
    const [given = [], family = []] = other.map((names) => names.split(' '))
    const east = /\p{Script=Han}/u.test(family[0] ?? '')
    const [a, b] = [pick(given, Math.floor(i / 40)), pick(family, Math.floor(i / 40) * 3 + i)]
    return east ? b + a : `${a} ${b}`
  }
  return `${pick(LATIN_GIVEN, i * 7)} ${pick(LATIN_FAMILY, Math.floor(i / 3) + i)}`
}

const CONTACT_COUNT = 1000

/** A duplicate name gets a middle initial, or a number in scripts without initials. */
function unique(name: string, taken: Set<string>): string {
  const [given, family] = name.split(' ')
  const latin = family !== undefined && /^\p{Script=Latin}+$/u.test(family)
  let candidate = name
  for (let i = 0; taken.has(candidate); i++) {
    candidate = latin && i < 26 ? `${given} ${String.fromCharCode(65 + i)}. ${family}` : `${name} ${i + 2}`
  }
  taken.add(candidate)
  return candidate
}

export function makeContacts(): Contact[] {
  const taken = new Set<string>()
  return Array.from({ length: CONTACT_COUNT }, (_, i) => ({
    id: i + 1,
    name: unique(nameOf(i), taken),
    phone: `+1 202-555-${String(i).padStart(4, '0')}`,
    email: `contact${i + 1}@example.com`,
  }))
}
