import type { z } from 'zod';
import type { Cost } from '@/lib/questions/question';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly text: string;
  readonly enum?: readonly string[];
  readonly required?: boolean;
  /** JSON Schema; absent: a string. */
  readonly schema?: object;
}

export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below /api/v1. */
  readonly path: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  /** The schema of a JSON body. */
  readonly body?: z.ZodType;
  /** Media types of the body; absent: JSON. */
  readonly bodyTypes?: readonly string[];
  readonly status?: number;
  readonly answer?: z.ZodType;
  readonly mediaType?: string;
  /** Absent: the request is not limited. */
  readonly cost?: Cost;
}
