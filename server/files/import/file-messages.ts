import type { NodeInfo, Side } from '@/lib/observation/observation';
import type { ReportedResource } from '../../codec/codec';
import type { ReportProblem } from '../../codec/dump-parser/report-plan';
import type { PackedBodies } from '../../source-threads/source-messages';
import type { UploadEnd } from './upload-channel';

/** What the thread that reads a file is given at its start. */
export interface FileWorkerData {
  /** Its path, or what comes in while it is read. */
  readonly file: string | UploadEnd;
  /** Where it is put when it must be a file, and where it is unpacked to; whoever started the thread removes both. */
  readonly uploadFile: string;
  readonly unpackedFile: string;
  readonly redactionKey: Uint8Array;
  /** A time that a file reports and that is later than this is wrong. */
  readonly now: number;
}

/** A batch was dealt with: there is room for another. */
export type FileCommand = { readonly kind: 'more' };

/** A client of the file, or what a control plane sent. */
export interface FileReport {
  readonly node: NodeInfo;
  readonly scope: string;
  /** What the document calls it; '' where it does not. */
  readonly label: string;
  readonly side: Side | 'auto';
}

export type FilePhase = 'unpacking' | 'reading';

/** What the thread reports, in this order; it is a few batches ahead of those that are dealt with, and no more. */
export type FileMessage =
  | {
      readonly kind: 'progress';
      readonly phase: FilePhase;
      readonly done: number;
      readonly total: number | null;
    }
  /** It is an .xdscope file, of which this is the path once unpacked: somebody else reads it. */
  | { readonly kind: 'recording'; readonly file: string }
  /** Nothing of it can be shown. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** What the first elements tell while the rest comes in; all of it is reported again in its place. */
  | {
      readonly kind: 'preview';
      /** The newest moment that the file has reported so far. */
      readonly at: number;
      readonly report: FileReport;
      readonly rows: readonly ReportedResource[];
      readonly bodies: PackedBodies;
    }
  | {
      readonly kind: 'begin';
      /** As in "Envoy config dump, JSON, gzip". */
      readonly what: string;
      /** The newest moment that the file reports; null: it reports none. */
      readonly at: number | null;
      readonly reports: readonly FileReport[];
    }
  | {
      readonly kind: 'batch';
      /** Index in `reports`; -1: of none. */
      readonly report: number;
      readonly rows: readonly ReportedResource[];
      readonly bodies: PackedBodies;
      readonly problems: readonly ReportProblem[];
    }
  | { readonly kind: 'end' };
