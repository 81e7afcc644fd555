/** Answers of Envoy's admin interface, as files are called. A prefix names the Envoy, as in "edge-1.config_dump.json". */
const answerFile =
  /^(.*?)[-_. ]?(config[-_]?dump|clusters|listeners|server[-_]?info|certs|init[-_]?dump)(?:[?_-](?:include[-_]eds|format[=_-]\w+))?(?:\.(?:json|ya?ml|txt))?(?:\.(?:gz|zst))?$/i;

/** A file, or the answers of the admin interface of one Envoy. */
interface AnswerGroup<File> {
  readonly files: readonly File[];
  /** The folder of several answers, with their prefix; empty if they have neither. Absent for a single file. */
  readonly name?: string;
}

/**
 * Puts the answers of one Envoy together: files of one folder whose names have one prefix. `pathOf` returns the path of a
 * file with slashes.
 */
export function joinAnswers<File>(
  files: readonly File[],
  pathOf: (file: File) => string,
): AnswerGroup<File>[] {
  const groups = new Map<string, { readonly files: File[]; readonly name?: string }>();
  for (const file of files) {
    const path = pathOf(file);
    const slash = path.lastIndexOf('/') + 1;
    const prefix = answerFile.exec(path.slice(slash))?.[1];
    const name = prefix === undefined ? undefined : `${path.slice(0, slash)}${prefix}`.replace(/\/$/, '');
    const key = name === undefined ? `file ${path}` : `answers ${name}`;
    const group = groups.get(key) ?? { files: [], ...(name !== undefined && { name }) };
    groups.set(key, group);
    group.files.push(file);
  }
  return [...groups.values()].map(({ files: own, name }) =>
    own.length === 1 || name === undefined ? { files: own } : { files: own, name },
  );
}
