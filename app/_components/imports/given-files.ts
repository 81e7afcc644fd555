/** A file, or the answers of one Envoy, which are imported together. */
export interface GivenFiles {
  readonly name: string;
  readonly files: readonly File[];
}
