import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '@/lib/format/message-of';
import { ConfigError } from '../config-error';
import { nameRecording } from '../forwarding/collector-entry';
import { copyLoad } from '../forwarding/copy-load';
import { forwardPage } from '../forwarding/forward-page';
import { openSharedStore } from '../forwarding/open-shared-store';
import { Mutes, mutesEntry } from '../live/issues/mutes';
import { LoadRecorder } from '../live/load/load-recorder';
import { keepAllLoad } from '../live/load/load-retention';
import type { Clock } from '../observe';
import { readRedactionKey, redactionKeyEntry } from '../redaction-key';
import { KeptValue } from '../store/kept-value';
import { ObservationLog } from '../store/log';
import { maxPins } from '../store/ranges';
import { openRecorder } from '../store/recorder/open-recorder';
import type { Recorder } from '../store/recorder/recorder';
import { nameOfStore } from '../store/store-url';
import { openState } from './open-state';

interface CopyOptions {
  /** A data directory, or its recording. */
  readonly from: string;
  readonly url: string;
  readonly clock: Clock;
  /** Gets lines about the progress. */
  readonly print: (line: string) => void;
}

interface Copied {
  /** What the recording has: all of it is in the store. */
  readonly observations: number;
  readonly permalinks: number;
  readonly pins: number;
}

const recordingFile = 'recording.sqlite';
const printEveryMs = 2_000;
const permalinksAtOnce = 100;

/**
 * Copies a recording with its load, pins, permalinks and muted issues into a shared store, in order. What an earlier copy, or the same recording as a collector, has
 * stored is not stored again, so that a copy that was interrupted is completed by the next one. Throws ConfigError and
 * RecorderError: another process has the directory open, or the store has another redaction key.
 */
export async function copyRecording({ from, url, clock, print }: CopyOptions): Promise<Copied> {
  const dataDir = folderOf(from);
  const options = {
    dataDir,
    clock,
    retention: { maxAgeMs: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER },
  };
  const recorder = await openRecorder({ ...options, onConversion: print });
  try {
    const state = await openState({ dataDir, setAsideDamaged: false, onDamage: print });
    try {
      const key = await KeptValue.open(state, redactionKeyEntry);
      await readRedactionKey(dataDir, key);
      const shared = await openSharedStore(url, key.value.sha256).catch((error: unknown) => {
        throw new ConfigError(`--store ${nameOfStore(url)}: ${messageOf(error)}`);
      });
      try {
        const log = new ObservationLog(shared.database, clock);
        const collector = await nameRecording(state);
        const mutes = new Mutes(await KeptValue.open(shared.state, mutesEntry));
        await mutes.add((await KeptValue.open(state, mutesEntry)).value);
        // Retention of the store must not delete what is pinned before the pin is there.
        const pins = await copyPins(recorder, log);
        const observations = await copyObservations({ recorder, collector, log, clock, print });
        const loads = await LoadRecorder.open({ dataDir, clock, retention: keepAllLoad });
        await copyLoad({ clock, loads, collector }, shared.database).finally(() => loads.close());
        return { pins, observations, permalinks: await copyPermalinks(recorder, log) };
      } finally {
        await shared.database.close();
      }
    } finally {
      await state.close();
    }
  } finally {
    await recorder.close();
  }
}

/** Throws ConfigError. */
function folderOf(from: string): string {
  const isFolder = existsSync(from) && statSync(from).isDirectory();
  const dataDir = isFolder ? from : path.dirname(from);
  const isRecording = existsSync(path.join(dataDir, recordingFile));
  if (isRecording && (isFolder || path.basename(from) === recordingFile)) return dataDir;
  throw new ConfigError(`copy: expected a data directory with a recording, got ${JSON.stringify(from)}`);
}

interface CopyParts extends Pick<CopyOptions, 'clock' | 'print'> {
  readonly recorder: Recorder;
  readonly collector: string;
  readonly log: ObservationLog;
}

async function copyObservations({ recorder, collector, log, clock, print }: CopyParts): Promise<number> {
  const { newestSeq } = recorder.stats();
  let reached = await log.newestOfCollector(collector);
  let printedAt = clock.now();
  const total = await recorder.countHistory({});
  if (reached > 0) print(`the store has the observations up to ${reached} of ${newestSeq}`);
  for (;;) {
    const next = await forwardPage({ recorder, collector }, log, reached);
    if (next === undefined) return total;
    reached = next;
    if (clock.now() - printedAt < printEveryMs) continue;
    printedAt = clock.now();
    print(`copied up to observation ${reached} of ${newestSeq}`);
  }
}

/** Returns their number. Throws ConfigError: the store has too many. */
async function copyPins(recorder: Recorder, log: ObservationLog): Promise<number> {
  const pins = (await recorder.pins()).map(({ id: _, ...pin }) => pin);
  const stored = new Set((await log.pins()).map(({ id: _, ...pin }) => JSON.stringify(pin)));
  for (const pin of pins) {
    if (stored.has(JSON.stringify(pin)) || (await log.pin(pin)) !== undefined) continue;
    throw new ConfigError(
      `copy: expected at most ${maxPins} pins in the store, got more: remove some, and repeat the command`,
    );
  }
  return pins.length;
}

/** Returns their number. */
async function copyPermalinks(recorder: Recorder, log: ObservationLog): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const page = await recorder.listPermalinks(after, permalinksAtOnce);
    for (const { id, hashes } of page) {
      const permalink = await recorder.readPermalink(id);
      if (permalink === undefined) continue;
      const { createdAt, content } = permalink;
      const bodies = [...(await recorder.readBodies(hashes)).values()];
      await log.addPermalink({ id, createdAt, json: JSON.stringify(content) }, bodies, hashes);
      count += 1;
      after = id;
    }
    if (page.length < permalinksAtOnce) return count;
  }
}
