-- What PostgreSQL needs to read seed.sql, fill.sql and the scripts in limit/.

-- The id of a row that the benchmark brings.
CREATE FUNCTION bench_id(kind bigint, n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ('0190a000-0000-7000-800' || kind || '-' || lpad(to_hex(n), 12, '0'))::uuid
$$;

-- A UUID v4 that looks random and is the same every time.
CREATE FUNCTION bench_scatter(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT overlay(overlay(md5(n::text) PLACING '4' FROM 13) PLACING '8' FROM 17)::uuid
$$;

CREATE FUNCTION bench_hash(text text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to(text, 'UTF8'))
$$;

CREATE FUNCTION bench_now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$
  SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

-- A UUID v7, as the server makes them: new rows come together at the right end of an index.
CREATE FUNCTION bench_new_id() RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(overlay(uuid_send(gen_random_uuid())
    PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 'hex')::uuid
$$;

-- A receipt: what PostgreSQL does with a row hangs on its length, not on its words.
CREATE FUNCTION bench_sample() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT '{sample}'
$$;
