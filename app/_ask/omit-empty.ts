type NotEmpty<Query> = { [Key in keyof Query]?: Exclude<Query[Key], ''> };

/** The query without empty texts, for which the server has defaults. */
export function omitEmpty<const Query extends object>(query: Query): NotEmpty<Query> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')) as NotEmpty<Query>;
}
