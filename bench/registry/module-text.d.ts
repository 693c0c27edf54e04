/** A self-contained module of about this size, different for every id. */
export declare function moduleText(id: string, sizeBytes: number): string
