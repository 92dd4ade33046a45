CREATE VIEW behavioral_rules AS
SELECT l.id, coalesce(r.rule_type, 'preference') AS rule_type, l.content AS description,
  r.poison AS skill_poison, r.fewshot_user, r.fewshot_assistant,
  r.source_exchange::jsonb AS source_exchange, l.worked / (l.worked + l.failed) AS confidence,
  l.status = 'active' AS active, l.times_given AS times_applied,
  l.created_at, l.trigger AS situation, l.tenant, l.project, l.user_id, l.session
FROM lessons l
LEFT JOIN lesson_rules r ON r.lesson_id = l.id
WHERE l.kind IN ('rule', 'preference') AND l.source <> 'document' AND l.content <> '';

CREATE VIEW learning_examples AS
SELECT l.id, x.polarity, x.request AS user_message, x.reply AS assistant_message,
  l.worked / (l.worked + l.failed) AS confidence, l.times_given AS use_count, l.created_at,
  l.tenant, l.project, l.user_id, l.session
FROM lessons l
JOIN lesson_examples x ON x.lesson_id = l.id
WHERE l.content <> '';

CREATE FUNCTION lesson_id_made(given text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF given !~ '^[0-9a-hjkmnp-tv-z]{3,12}$' THEN
    RAISE EXCEPTION
      'leave the id out, one is made; or give 3 to 12 of 0-9 a-z without i, l, o, u';
  END IF;
  RETURN coalesce(given, substr(md5(random()::text || clock_timestamp()::text), 1, 12));
END $$;

CREATE FUNCTION lesson_edited(edited text, was text, at_micros bigint) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO lesson_edits (lesson_id, key, deed, at, before)
  SELECT l.id, l.key, was, at_micros, json_build_object('status', l.status, 'trigger', l.trigger,
    'content', l.content, 'worked', l.worked, 'failed', l.failed)::text
  FROM lessons l WHERE l.id = edited;
$$;

CREATE FUNCTION now_in_micros() RETURNS bigint LANGUAGE sql AS
$$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$;

CREATE FUNCTION behavioral_rule_written() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  now_at bigint := now_in_micros();
  sure double precision;
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM lesson_edited(old.id, 'deleted', now_at);
    PERFORM lesson_edited(l.id, 'changed', now_at) FROM lessons l
      WHERE l.superseded_by = old.id AND l.status = 'superseded'
      AND l.kind IN ('rule', 'preference');
    UPDATE lessons SET status = 'active', superseded_by = NULL
      WHERE superseded_by = old.id AND status = 'superseded' AND kind IN ('rule', 'preference');
    UPDATE corrections SET message = '', body = '' WHERE lesson_id = old.id;
    DELETE FROM lessons WHERE id = old.id;
    RETURN old;
  END IF;
  IF btrim(coalesce(new.description, '')) = '' THEN
    RAISE EXCEPTION 'a rule needs a description';
  END IF;
  sure := least(1, greatest(0, coalesce(new.confidence, 0.9)));
  IF TG_OP = 'INSERT' THEN
    new.id := lesson_id_made(new.id);
    new.active := coalesce(new.active, true);
    new.created_at := coalesce(new.created_at, now_at);
    INSERT INTO lessons (id, key, kind, status, tenant, project, user_id, session, trigger, content,
      worked, failed, source, trust, fingerprint, times_given, created_at, updated_at)
    VALUES (new.id, -1 - floor(random() * 4503599627370496)::bigint, 'rule',
      CASE WHEN new.active THEN 'active' ELSE 'suspended' END, coalesce(new.tenant, ''),
      coalesce(new.project, ''), coalesce(new.user_id, ''), coalesce(new.session, ''),
      coalesce(new.situation, ''), new.description, 10 * sure, 10 - 10 * sure, 'operator',
      'operator', 'view:' || new.id, coalesce(new.times_applied, 0), new.created_at, now_at);
    PERFORM lesson_edited(new.id, 'added', now_at);
  ELSE
    IF new.id <> old.id THEN
      RAISE EXCEPTION 'the id of a rule cannot be changed';
    END IF;
    PERFORM lesson_edited(old.id, 'changed', now_at);
    UPDATE lessons SET
      status = CASE WHEN new.active = old.active THEN status WHEN new.active THEN 'active'
        ELSE 'suspended' END,
      superseded_by = CASE WHEN new.active AND NOT old.active THEN NULL ELSE superseded_by END,
      content = new.description, trigger = coalesce(new.situation, ''),
      worked = CASE WHEN new.confidence = old.confidence THEN worked
        ELSE (worked + failed) * sure END,
      failed = CASE WHEN new.confidence = old.confidence THEN failed
        ELSE (worked + failed) * (1 - sure) END,
      times_given = coalesce(new.times_applied, 0), created_at = new.created_at,
      updated_at = now_at, graphed = 0
    WHERE id = old.id;
  END IF;
  INSERT INTO lesson_rules (lesson_id, rule_type, poison, fewshot_user, fewshot_assistant,
    source_exchange)
  VALUES (new.id, coalesce(new.rule_type, 'preference'), new.skill_poison, new.fewshot_user,
    new.fewshot_assistant, new.source_exchange::text)
  ON CONFLICT (lesson_id) DO UPDATE SET rule_type = excluded.rule_type, poison = excluded.poison,
    fewshot_user = excluded.fewshot_user, fewshot_assistant = excluded.fewshot_assistant,
    source_exchange = excluded.source_exchange;
  RETURN new;
END $$;
CREATE TRIGGER behavioral_rule_written INSTEAD OF INSERT OR UPDATE OR DELETE ON behavioral_rules
FOR EACH ROW EXECUTE FUNCTION behavioral_rule_written();

CREATE FUNCTION learning_example_written() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  now_at bigint := now_in_micros();
  sure double precision;
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM lesson_edited(old.id, 'deleted', now_at);
    DELETE FROM lessons WHERE id = old.id;
    RETURN old;
  END IF;
  IF btrim(coalesce(new.user_message, '')) = ''
    OR btrim(coalesce(new.assistant_message, '')) = '' THEN
    RAISE EXCEPTION 'an example needs a user_message and an assistant_message';
  END IF;
  sure := least(1, greatest(0, coalesce(new.confidence, 0.9)));
  IF TG_OP = 'INSERT' THEN
    new.id := lesson_id_made(new.id);
    new.created_at := coalesce(new.created_at, now_at);
    INSERT INTO lessons (id, key, kind, status, tenant, project, user_id, session, trigger, content,
      worked, failed, source, trust, fingerprint, times_given, created_at, updated_at)
    VALUES (new.id, -1 - floor(random() * 4503599627370496)::bigint, 'example', 'active',
      coalesce(new.tenant, ''), coalesce(new.project, ''), coalesce(new.user_id, ''),
      coalesce(new.session, ''), new.user_message, new.assistant_message, 10 * sure,
      10 - 10 * sure, 'operator', 'operator', 'view:' || new.id, coalesce(new.use_count, 0),
      new.created_at, now_at);
    INSERT INTO lesson_examples (lesson_id, polarity, request, reply)
    VALUES (new.id, coalesce(new.polarity, 'positive'), new.user_message, new.assistant_message);
    PERFORM lesson_edited(new.id, 'added', now_at);
    RETURN new;
  END IF;
  IF new.id <> old.id THEN
    RAISE EXCEPTION 'the id of an example cannot be changed';
  END IF;
  PERFORM lesson_edited(old.id, 'changed', now_at);
  UPDATE lessons SET trigger = new.user_message, content = new.assistant_message,
    worked = CASE WHEN new.confidence = old.confidence THEN worked
      ELSE (worked + failed) * sure END,
    failed = CASE WHEN new.confidence = old.confidence THEN failed
      ELSE (worked + failed) * (1 - sure) END,
    times_given = coalesce(new.use_count, 0), updated_at = now_at
  WHERE id = old.id;
  UPDATE lesson_examples SET polarity = new.polarity, request = new.user_message,
    reply = new.assistant_message
  WHERE lesson_id = old.id;
  RETURN new;
END $$;
CREATE TRIGGER learning_example_written INSTEAD OF INSERT OR UPDATE OR DELETE ON learning_examples
FOR EACH ROW EXECUTE FUNCTION learning_example_written();
