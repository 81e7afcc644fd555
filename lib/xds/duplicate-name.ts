const suffix = / \(duplicate \d+\)$/;
const emptyName = '(empty name)';

/** The name of the row of a resource whose type and name are those of others in one report. The first keeps its name. */
export function duplicateName(name: string, number: number): string {
  if (number === 1) return name;
  return `${name === '' ? emptyName : name} (duplicate ${number})`;
}

export function isDuplicateName(name: string): boolean {
  return suffix.test(name);
}
