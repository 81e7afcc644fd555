import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { messageOf } from '@/lib/format/message-of';
import { interopRun } from '@/lib/interop/run-schema';
import { checkRun } from '@/lib/views/server-checks/schema';
import { descriptorSetsEntry, toBase64 } from '../answers/descriptor-sets/saved-descriptor-sets';
import { assertVersion } from '../assert-version';
import { putIntoPlace } from '../atomic-write';
import { sha256 } from '../codec/sha256';
import { ConfigError } from '../config-error';
import { readDataFile } from '../data-dir';
import { problemsPrefix, savedProblems } from '../files/import/imports';
import { importsEntry } from '../files/import/saved-imports';
import { interopRunsPrefix } from '../lab/interop-runs/saved-interop-runs';
import { savedRunPrefixes } from '../lab/server-checks/saved-runs';
import { alertsEntry } from '../live/alerts/issue-alerts';
import { nodeChangesEntry } from '../live/fleet/saved-node-changes';
import { conditionsEntry } from '../live/issues/known-conditions';
import { loadErrorsEntry, requestErrorsEntry } from '../live/issues/known-errors';
import { mutesEntry } from '../live/issues/mutes';
import { removedSourcesEntry } from '../live/removed-sources';
import { sizesEntry } from '../live/sizes/saved-sizes';
import { redactionKeyEntry } from '../redaction-key';
import { sourcesEntry } from '../sources/saved-sources';
import { type ListEntry, listChanges } from '../store/kept-list';
import type { StateEntry } from '../store/kept-value';
import type { StateChange, StateStore } from '../store/state';
import { streamEndsEntry } from './end-lost-streams';

/** A file or folder in which an earlier xdscope kept a part of the state. */
interface OldFile {
  readonly name: string;
  /** The keys that it replaces, and those below them. */
  readonly keys: readonly string[];
  /** Throws if the content is not what xdscope wrote. */
  readonly read: (file: string) => StateChange[];
  /** With damage of it the start ends: without it xdscope would observe or show less. */
  readonly isRequired?: true;
}

const oldFiles: readonly OldFile[] = [
  { ...jsonFile('sources.json', sourcesEntry, 1), isRequired: true },
  { ...jsonFile('imports.json', importsEntry), isRequired: true },
  { name: 'descriptor-sets', keys: [descriptorSetsEntry.key], read: readDescriptorSets, isRequired: true },
  jsonFile('removed-sources.json', removedSourcesEntry),
  jsonFile('muted-issues.json', mutesEntry),
  jsonFile('alerted-issues.json', alertsEntry),
  jsonFile('config-issues.json', conditionsEntry),
  jsonFile('load-errors.json', loadErrorsEntry),
  jsonFile('request-errors.json', requestErrorsEntry),
  jsonFile('stream-ends.json', streamEndsEntry),
  linesFile('node-changes.ndjson.gz', nodeChangesEntry),
  linesFile('size-history.ndjson.gz', sizesEntry),
  { name: 'interop-runs.ndjson.gz', keys: [interopRunsPrefix.slice(0, -1)], read: readInteropRuns },
  folderOf('import-problems', problemsPrefix, savedProblems),
  folderOf('server-checks', savedRunPrefixes[0], checkRun),
  folderOf('server-check-permalinks', savedRunPrefixes[1], checkRun),
];

const checksumsFile = 'checksums.json';
/** The names of all files and folders that are converted. */
export const oldStateFiles: readonly string[] = [...oldFiles.map(({ name }) => name), checksumsFile];
/** The files that had a checksum, and what a start without their content means. */
const checkedFiles: Readonly<Record<string, string>> = {
  'redaction.key': 'markers of equal secrets differ from those that were recorded before',
  'sources.json': 'sources that were added or paused in the browser may be missing',
  'imports.json': 'imported files may be missing',
  'removed-sources.json': 'clients of removed sources may be listed again',
};
/** The SHA-256 of each file; null: there was none. */
const checksums = z.record(z.string(), z.array(z.string().nullable()));

/** SHA-256 by the name of a file that is in the state. */
const convertedKey = 'converted-files';
const converted = z.record(z.string(), z.string());

/**
 * Moves what an earlier xdscope kept in files of the data directory into the state: all of it in one transaction, after
 * which the files are renamed to "NAME.imported". A file that is put back later is read again. Returns sentences about
 * files that something else changed, and that cannot be read. Throws ConfigError. Precondition: the directory is locked.
 */
export async function convertStateFiles(dataDir: string, state: StateStore): Promise<string[]> {
  const done = (await state.get(convertedKey, converted))?.value ?? {};
  const found = oldStateFiles.filter((name) => existsSync(path.join(dataDir, name)));
  if (found.length === 0) return [];
  const remarks: string[] = [];
  const changes: StateChange[] = [];
  const sums: Record<string, string> = {};
  const endings: [name: string, ending: string][] = [];
  for (const { name, keys, read, isRequired } of oldFiles) {
    const file = path.join(dataDir, name);
    if (!found.includes(name)) continue;
    try {
      const sum = sumOf(file);
      // The process may have ended before the file was renamed.
      const own = sum === done[name] ? [] : read(file);
      if (own.length > 0 && done[name] !== undefined) await state.setAside(keys);
      changes.push(...own);
      sums[name] = sum;
      endings.push([name, 'imported']);
    } catch (error) {
      const { message } = unreadable(file, error);
      if (isRequired) throw new ConfigError(message);
      remarks.push(`${message}; it is now ${name}.damaged`);
      endings.push([name, 'damaged']);
    }
  }
  if (done[checksumsFile] === undefined) {
    const isDamaged = (name: string): boolean => found.includes(name) && sums[name] === undefined;
    remarks.push(
      ...findChangedFiles(dataDir, (name) => (isDamaged(name) ? undefined : (sums[name] ?? null))),
    );
  }
  if (found.includes(checksumsFile)) {
    const key = readChecksums(dataDir)?.['redaction.key']?.findLast((sum) => sum !== null);
    if (key !== undefined) changes.push({ key: redactionKeyEntry.key, value: { sha256: key } });
    sums[checksumsFile] = sumOf(path.join(dataDir, checksumsFile));
    endings.push([checksumsFile, 'imported']);
  }
  await state.write([...changes, { key: convertedKey, value: { ...done, ...sums } }]);
  for (const [name, ending] of endings) rename(path.join(dataDir, name), ending);
  return remarks;
}

function unreadable(file: string, cause: unknown): ConfigError {
  if (cause instanceof ConfigError) return cause;
  const reason = messageOf(cause).replace(/\s+/g, ' ').slice(0, 300);
  return new ConfigError(
    `${file}: expected what xdscope saved there, got something else (${reason}): put back a copy, or remove it, and xdscope starts without it`,
  );
}

function jsonFile<T>(name: string, { key, schema }: StateEntry<T>, version?: number): OldFile {
  return {
    ...{ name, keys: [key] },
    read(file) {
      const json: unknown = parseFile(file);
      if (version !== undefined && typeof json === 'object' && json !== null)
        assertVersion(file, version, json);
      return [{ key, value: schema.parse(json) }];
    },
  };
}

/** Its first line is the head, with the version 1. */
function linesFile<Head, Line>(name: string, { key, head, line }: ListEntry<Head, Line>): OldFile {
  return {
    ...{ name, keys: [key] },
    read(file) {
      const [first, ...others] = readLines(file);
      assertVersion(file, 1, z.looseObject({}).parse(first));
      return [
        ...listChanges(
          key,
          head.parse(first),
          others.map((each) => line.parse(each)),
        ),
      ];
    },
  };
}

function readInteropRuns(file: string): StateChange[] {
  const saved = z.object({ version: z.literal(1), run: interopRun });
  return readLines(file).map((line) => {
    const { run } = saved.parse(line);
    return { key: interopRunsPrefix + run.id, value: run };
  });
}

/** A folder of JSON files that have the ids as names. */
function folderOf<T>(name: string, prefix: string, schema: z.ZodType<T>): OldFile {
  return {
    ...{ name, keys: [prefix.slice(0, -1)] },
    read: (folder) =>
      namesIn(folder)
        .filter((each) => each.endsWith('.json'))
        .map((each) => ({
          key: prefix + path.basename(each, '.json'),
          value: schema.parse(parseFile(path.join(folder, each))),
        })),
  };
}

function readDescriptorSets(folder: string): StateChange[] {
  const list = path.join(folder, 'list.json');
  if (!existsSync(list)) return [];
  const sets = z.array(z.object({ id: z.string(), name: z.string() })).parse(parseFile(list));
  const value = sets.map((set) => ({
    ...set,
    base64: toBase64(readFileSync(path.join(folder, `${set.id}.binpb`))),
  }));
  return [{ key: descriptorSetsEntry.key, value: descriptorSetsEntry.schema.parse(value) }];
}

function parseFile(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function readLines(file: string): unknown[] {
  const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n');
  if (lines.pop() !== '' || lines.length === 0) throw new Error('expected whole lines, got the begin of one');
  return lines.map((line) => JSON.parse(line));
}

function namesIn(folder: string): string[] {
  return readdirSync(folder).sort();
}

function sumOf(file: string): string {
  if (!statSync(file).isDirectory()) return sha256(readFileSync(file));
  const files = namesIn(file).map((name) => `${name} ${sumOf(path.join(file, name))}`);
  return sha256(Buffer.from(files.join('\n')));
}

function sumOfKey(file: string): string | null {
  const key = readDataFile(file);
  return key === undefined ? null : sha256(key);
}

/** Appends the ending, and a number if there is such a file. */
function rename(file: string, ending: string): void {
  let to = `${file}.${ending}`;
  for (let n = 2; existsSync(to); n++) to = `${file}.${ending}-${n}`;
  putIntoPlace(file, to);
}

/** Returns undefined if the file is damaged. */
function readChecksums(dataDir: string): z.infer<typeof checksums> | undefined {
  const file = path.join(dataDir, checksumsFile);
  const content = readDataFile(file);
  if (content === undefined) return {};
  try {
    return checksums.parse(JSON.parse(content.toString('utf8')));
  } catch {
    return undefined;
  }
}

/**
 * Sentences on the files that something else changed or removed since the earlier xdscope wrote them. `sumOfOld`: null if
 * there is no such file, undefined if it cannot be read.
 */
function findChangedFiles(dataDir: string, sumOfOld: (name: string) => string | null | undefined): string[] {
  const known = readChecksums(dataDir);
  if (known === undefined) {
    const names = Object.keys(checkedFiles).join(', ');
    return [`${path.join(dataDir, checksumsFile)} is damaged, so changes of ${names} cannot be found`];
  }
  return Object.entries(checkedFiles).flatMap(([name, effect]) => {
    const file = path.join(dataDir, name);
    const state = name === 'redaction.key' ? sumOfKey(file) : sumOfOld(name);
    const expected = known[name];
    if (state === undefined || expected === undefined || expected.includes(state)) return [];
    const was = state === null ? 'removed' : 'changed';
    return [
      `${file} was ${was} since xdscope wrote it, so ${effect}: put back a copy unless this was intended`,
    ];
  });
}
