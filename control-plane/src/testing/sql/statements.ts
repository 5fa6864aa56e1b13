/** Finds the raw SQL statements in the sources of a project, with their texts and the types of their rows. */
import * as ast from 'typescript/unstable/ast'
import { type Checker, type Project, type Type } from 'typescript/unstable/sync'
import { Composer, Unresolved } from './compose.js'

export interface Statement {
  file: string
  line: number
  /** All texts that the statement can have; a message if they do not follow from the source. */
  texts: string[] | { unresolved: string }
  /**
   * The types of each declared column, one for each member of a union of row types: null if the member does not have the
   * column. Empty: no columns are declared.
   */
  row: Map<string, Type[]>
}

/** @param isOwn whether the statements of a file are wanted */
export function findStatements({ checker, program }: Project, isOwn: (file: string) => boolean): Statement[] {
  const composer = new Composer(checker)
  return program
    .getSourceFileNames()
    .filter(isOwn)
    .flatMap((name) => {
      const file = program.getSourceFile(name)
      if (!file || !/\$(query|execute)Raw|\bread\b/.test(file.text)) return []
      return callsIn(file, checker).map(({ call, text }) => ({
        file: name,
        line: file.text.slice(0, call.getStart()).split('\n').length,
        texts: textsOf(composer, text),
        row: rowOf(checker, call),
      }))
    })
}

function textsOf(composer: Composer, text: ast.Node): Statement['texts'] {
  try {
    return composer.textsOf(text)
  } catch (error) {
    if (error instanceof Unresolved) return { unresolved: error.message }
    throw error
  }
}

/** Finds `$queryRaw` and `$executeRaw`, as tags or as functions, and calls of a `PreparedRead`. */
function callsIn(root: ast.Node, checker: Checker): { call: ast.Node; text: ast.Node }[] {
  const found: { call: ast.Node; text: ast.Node }[] = []
  const visit = (node: ast.Node): void => {
    if (ast.isTaggedTemplateExpression(node) && /\$(query|execute)Raw$/.test(node.tag.getText()))
      found.push({ call: node, text: node.template })
    if (ast.isCallExpression(node) && /(\$(query|execute)Raw|\bread)$/.test(node.expression.getText())) {
      const [text] = node.arguments
      if (text && checker.getTypeAtLocation(text)?.getSymbol()?.name === 'Sql')
        found.push({ call: node, text })
    }
    node.forEachChild(visit)
  }
  visit(root)
  return found
}

/** Reads the columns from the type of a call: a promise of a list of rows. */
function rowOf(checker: Checker, call: ast.Node): Statement['row'] {
  const argument = (type: Type | undefined): Type | undefined =>
    type?.isTypeReference() ? checker.getTypeArguments(type)[0] : undefined
  const row = argument(argument(checker.getTypeAtLocation(call)))
  const members = row?.isUnionType() ? row.getTypes() : row ? [row] : []
  const names = members.flatMap((member) => checker.getPropertiesOfType(member).map(({ name }) => name))
  const typesOf = (name: string): Type[] =>
    members.map((member) => {
      const property = checker.getPropertyOfType(member, name)
      return (property && checker.getTypeOfSymbol(property)) ?? checker.getNullType()
    })
  return new Map(names.map((name) => [name, typesOf(name)]))
}
