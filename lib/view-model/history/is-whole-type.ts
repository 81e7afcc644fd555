/** istiod keeps books of whole types: such a row has no name. Elsewhere an empty name is one. */
export function isWholeType(sourceId: string, name: string): boolean {
  return name === '' && sourceId.startsWith('istiod:');
}
