import type { FileImport, ImportProblems, ImportProblemsQuery } from '@/lib/views/recording/import-schema';
import type { Source } from '@/lib/views/sources/schema';
import { ApiError, badRequest, notFound } from '../../api-error';
import { AlreadyImported, FileTooLarge, ImportCanceled, UnknownFile } from '../../files/import/import-errors';
import type { ImportedFile, Imports } from '../../files/import/imports';
import { XdscopeFileError } from '../../files/xdscope-format/xdscope-file-error';

export class ImportsApi {
  readonly #imports: Imports;

  constructor(imports: Imports) {
    this.#imports = imports;
  }

  async add(...file: Parameters<Imports['add']>): Promise<Source> {
    try {
      return await this.#imports.add(...file);
    } catch (error) {
      if (error instanceof AlreadyImported) {
        const { message, importId } = error;
        throw new ApiError(409, 'Already imported', message, undefined, importId);
      }
      if (error instanceof ImportCanceled) throw new ApiError(409, 'Import canceled', error.message);
      if (error instanceof FileTooLarge) throw new ApiError(413, 'File too large', error.message);
      if (error instanceof UnknownFile || error instanceof XdscopeFileError) throw badRequest(error.message);
      throw error;
    }
  }

  list(): FileImport[] {
    return this.#imports.list();
  }

  async problems(id: string, { offset, limit }: ImportProblemsQuery): Promise<ImportProblems> {
    const found = await this.#imports.problemsOf(id);
    if (found === undefined) throw notFound('Import', `no import has the id ${JSON.stringify(id)}`);
    const { items, total } = found;
    return { items: items.slice(offset, offset + limit), total, kept: items.length };
  }

  /** Cancels a running import, and removes one that is complete. */
  async cancel(id: string): Promise<void> {
    if (!(await this.#imports.cancel(id))) {
      throw notFound('Import', `no import has the id ${JSON.stringify(id)}`);
    }
  }

  fileOf(clientId: string): ImportedFile | undefined {
    return this.#imports.fileOf(clientId);
  }

  get oldestAt(): number | undefined {
    return this.#imports.oldestAt;
  }

  isKeptBy(pinId: number): boolean {
    return this.#imports.isKeptBy(pinId);
  }

  /** Returns false if the source is not a file. */
  async remove(sourceId: string): Promise<boolean> {
    if (!this.#imports.has(sourceId)) return false;
    await this.#imports.remove(sourceId);
    return true;
  }
}
