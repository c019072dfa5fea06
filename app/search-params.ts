import { one, query } from './_ui/figures.ts';

/** Filters of the catalogue, as its URL carries them. */
export interface CatalogueParams {
  boundary: string | null;
  tried: 'yes' | 'no' | null;
}

export function parseCatalogueParams(params: Record<string, string | string[] | undefined>): CatalogueParams {
  const tried = one(params.tried);
  return { boundary: one(params.boundary) || null, tried: tried === 'yes' || tried === 'no' ? tried : null };
}

/** The query string that `parseCatalogueParams` reads back. */
export function catalogueQuery({ boundary, tried }: CatalogueParams): string {
  return query({ boundary: boundary ?? undefined, tried: tried ?? undefined });
}
