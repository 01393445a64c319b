-- listUsedModels

        with recursive used (model_id) as (
          select min(run.model_id)
  from run
  where run.project_id = ? and run.connection_id = ? and run.visibility = 'project'
         
  union all
          select (select min(run.model_id)
  from run
  where run.project_id = ? and run.connection_id = ? and run.visibility = 'project' and run.model_id > used.model_id)
         
  from used
  where used.model_id is not null
        )
        select used.model_id, (
          select run.id
  from run
  where run.project_id = ? and run.connection_id = ? and run.visibility = 'project' and run.model_id = used.model_id
  order by run.id desc
  limit 1
        ) as newest
       
  from used
  where used.model_id is not null;

        with recursive used (model_id) as (
          select min(run.model_id)
  from run
  where run.project_id = ? and run.connection_id = ? and run.visibility = 'author' and run.user_id = ?
         
  union all
          select (select min(run.model_id)
  from run
  where run.project_id = ? and run.connection_id = ? and run.visibility = 'author' and run.user_id = ? and run.model_id > used.model_id)
         
  from used
  where used.model_id is not null
        )
        select used.model_id, (
          select run.id
  from run
  where run.project_id = ? and run.connection_id = ? and run.visibility = 'author' and run.user_id = ? and run.model_id = used.model_id
  order by run.id desc
  limit 1
        ) as newest
       
  from used
  where used.model_id is not null;
