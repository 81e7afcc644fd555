import type { z } from 'zod';
import type { Cost } from './question';

/** One request that changes state, or whose input is too large for a URL: POST, PUT, PATCH or DELETE. */
export interface Command<
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  /** The query of the URL; absent: none. */
  readonly query?: Query;
  /** JSON; absent: the request has no JSON body. */
  readonly body?: Body;
  /** The largest body in bytes; 256 KiB unless given. */
  readonly maxBytes?: number;
  /** Absent: the answer has no body. */
  readonly answer?: Answer;
  /** Of a success; 200 unless given, 204 without an answer. */
  readonly status?: number;
  readonly cost?: Cost;
}

/** Checks the type of the value and keeps its own. */
export function defineCommand<const C extends Command>(command: C): C {
  return command;
}

/** "sources/{id}" has the parameter `id`. */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & PathParams<Rest>
  : unknown;
