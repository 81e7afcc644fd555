/** Returns the name in camel case of a field in snake case or camel case. */
export function camelCase(key: string): string {
  return key.includes('_') ? key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) : key;
}
