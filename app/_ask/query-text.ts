type Filled<Query> = { [Key in keyof Query]?: Exclude<Query[Key], ''> };

/** The query without empty texts, for which the server has defaults. */
export function omitEmpty<const Query extends object>(query: Query): Filled<Query> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')) as Filled<Query>;
}

/** A list has one parameter per value. */
export function searchOf(query: object): URLSearchParams {
  return new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((each) => [name, String(each)]),
    ),
  );
}
