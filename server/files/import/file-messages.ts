import type { Connection } from '@/lib/observation/connection';
import type { NodeInfo, Side } from '@/lib/observation/observation';
import type { ReportedResource } from '../../codec/codec';
import type { ReportProblem } from '../../codec/dump-parser/report-plan';
import type { PackedBodies } from '../../packed-bodies';
import type { UploadEnd } from './upload-channel';

/** What a thread of the program `file` reads, beside the data of its part. */
export interface FileProgramData {
  readonly reads: 'document' | 'recording';
}

/** The workerData of the thread that reads a document. */
export interface FileWorkerData {
  /** A path, or an upload that is still arriving. */
  readonly file: string | UploadEnd;
  /** Files with more of the same client, if `file` is a path. */
  readonly others?: readonly string[] | undefined;
  /** Paths for a stored upload and for the unpacked file. The creator of the thread removes both files. */
  readonly uploadFile: string;
  readonly unpackedFile: string;
  readonly redactionKey: Uint8Array;
  /** Later times in the file are considered wrong. */
  readonly now: number;
  /** The time at which the file was written, used if the file states no time of its own. */
  readonly modifiedAt?: number | undefined;
}

/** Acknowledges a batch. */
export type FileCommand = { readonly kind: 'more' };

/** A client of the file, or the resources that a control plane sent. */
export interface FileReport {
  readonly node: NodeInfo;
  readonly scope: string;
  /** Name in the document, empty if there is none. */
  readonly label: string;
  readonly side: Side | 'auto';
}

type FilePhase = 'unpacking' | 'reading';

/** The messages of the thread, in this order. The number of unacknowledged batches is limited. */
export type FileMessage =
  | {
      readonly kind: 'progress';
      readonly phase: FilePhase;
      readonly done: number;
      readonly total: number | null;
    }
  /** The SHA-256 of the file, or of the hashes of several files, before what is in it. */
  | { readonly kind: 'digest'; readonly sha256: string }
  /** The file is an .xdscope file, to be read by readRecording(). `file` is the path of the unpacked file. */
  | { readonly kind: 'recording'; readonly file: string }
  /** The file has no resources. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** The first elements, while the rest of the file arrives. They are in a batch again. */
  | {
      readonly kind: 'preview';
      /** The newest time in the file so far. */
      readonly at: number;
      readonly report: FileReport;
      readonly rows: readonly ReportedResource[];
      readonly bodies: PackedBodies;
    }
  | {
      readonly kind: 'begin';
      /** Such as "Envoy config dump, JSON, gzip". */
      readonly what: string;
      /** The newest time in the file, else the time at which it was written; null if neither is known. */
      readonly at: number | null;
      readonly reports: readonly FileReport[];
    }
  | {
      readonly kind: 'batch';
      /** Index in `reports`, -1 for problems of the document. */
      readonly report: number;
      readonly rows: readonly ReportedResource[];
      readonly bodies: PackedBodies;
      readonly problems: readonly ReportProblem[];
    }
  /** The hosts and listening sockets of a client of which these are all, after its batches. */
  | {
      readonly kind: 'connections';
      /** Index in `reports`. */
      readonly report: number;
      readonly connections: readonly Connection[];
    }
  | { readonly kind: 'end' };
