import type { Source } from '@/lib/api/schema';
import { XdscopeFileError } from '../dumps/xdscope-file/xdscope-file-error';
import { type Imports, UnknownFile } from '../imports/imports';
import { FileTooLarge } from '../imports/receive-file';
import { ApiError, badRequest } from './api-error';

/** Files of people, as sources. */
export class ImportsApi {
  constructor(private readonly imports: Imports) {}

  async add(name: string, chunks: AsyncIterable<Uint8Array>): Promise<Source> {
    try {
      return await this.imports.add(name, chunks);
    } catch (error) {
      if (error instanceof FileTooLarge) throw new ApiError(413, 'File too large', error.message);
      if (error instanceof UnknownFile || error instanceof XdscopeFileError) throw badRequest(error.message);
      throw error;
    }
  }

  /** false: it is no file. */
  async remove(sourceId: string): Promise<boolean> {
    if (!this.imports.has(sourceId)) return false;
    await this.imports.remove(sourceId);
    return true;
  }
}
